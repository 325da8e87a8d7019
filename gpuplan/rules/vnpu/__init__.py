"""Rules about the virtual NPUs of Huawei's cards."""
